// The fast lane of the DAGMan reader: cuts a file into logical lines and takes the plain forms, interning names.
//
// A DAGMan file of a million jobs is some millions of lines of a handful of shapes. Those shapes are recognised here and
// end up in columns; every other line is handed on by its byte range, so that the complete parser, which is Python,
// sees only what is rare. A form is taken only where DAGMan would certainly accept its syntax; whether the names in it
// exist is settled later, since commands may stand before the jobs they name. One pass, O(bytes).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dagman_text.hpp"

namespace eligo::dagman {

// The order is that of eligo.formats._dagman.tokens.Keyword.
inline constexpr Text keywords[] = {
    "JOB", "PARENT", "VARS", "PRIORITY", "RETRY", "CATEGORY", "SCRIPT", "PRE_SKIP", "ABORT_DAG_ON", "SUBDAG", "FINAL",
    "PROVISIONER", "SERVICE", "SPLICE", "INCLUDE", "SUBMIT_DESCRIPTION", "WEAK", "TOLERANCE", "DONE", "MAXJOBS",
    "CONFIG", "DOT", "NODE_STATUS_FILE", "JOBSTATE_LOG", "SAVE_POINT_FILE", "SET_JOB_ATTR", "ENV", "REJECT", "CONNECT",
    "PIN_IN", "PIN_OUT"};
enum Keyword : std::uint8_t {
    job, parent, vars, priority, retry, category, script, pre_skip, abort_dag_on, subdag, final, provisioner, service,
    splice, include, submit_description, unknown = 255
};

inline bool same_word(Text word, Text upper_case) {
    if (word.size() != upper_case.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if (upper(word[i]) != upper_case[i]) return false;
    return true;
}

inline Keyword keyword_of(Text word) {
    for (std::size_t k = 0; k < std::size(keywords); ++k) {
        const Text name = keywords[k];
        if (name.size() != word.size()) continue;
        std::size_t i = 0;
        while (i < name.size() && (upper(word[i]) == name[i] || (word[i] == '-' && name[i] == '_'))) ++i;
        if (i == name.size()) return static_cast<Keyword>(k);
    }
    return unknown;
}

// Whole word of 1 to `most` digits, after a sign where one is allowed.
inline bool plain_integer(Text word, std::size_t most, bool sign) {
    if (sign && !word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
    if (word.empty() || word.size() > most) return false;
    for (char c : word)
        if (!is_digit(c)) return false;
    return true;
}

inline bool in_var_name(char c) { return (upper(c) >= 'A' && upper(c) <= 'Z') || is_digit(c) || c == '_' || c == '.'; }

// Calls visit(name, raw value) for each name="value" of a VARS line; false where the text is not a plain list of them.
template <class Visit>
bool each_var(Text rest, Visit&& visit) {
    std::size_t i = 0, pairs = 0;
    auto blanks = [&] { while (i < rest.size() && is_space(rest[i])) ++i; };
    if (rest.substr(0, 7) == "PREPEND" || rest.substr(0, 6) == "APPEND") return false;
    for (blanks(); i < rest.size(); blanks(), ++pairs) {
        const std::size_t name = i;
        if (rest[i] == '+') ++i;
        while (i < rest.size() && in_var_name(rest[i])) ++i;
        const Text key = rest.substr(name, i - name);
        if (key.empty() || key == "+" || same_word(key.substr(0, 5), "QUEUE")) return false;
        blanks();
        if (i >= rest.size() || rest[i] != '=') return false;
        ++i;
        blanks();
        if (i >= rest.size() || rest[i] != '"') return false;
        const std::size_t value = ++i;
        for (; i < rest.size() && rest[i] != '"'; ++i)
            if (rest[i] == '\\' && (++i >= rest.size() || (rest[i] != '\\' && rest[i] != '"'))) return false;
        if (i >= rest.size()) return false;
        visit(key, rest.substr(value, i - value));
        ++i;
    }
    return pairs > 0;
}

// What one file says, as columns. `jobs_before` and its like tell where among the plain lines an odd line stands.
struct Scan {
    Names symbols, var_names, directories;
    Names submits;  // with the directory, where there is one, after a NUL byte, which no file that is read has
    std::vector<Node> submit_directory;  // by submit: -1 for none
    std::vector<std::uint8_t> defined;   // by symbol: has a plain JOB line

    std::vector<Node> job_symbol, job_submit;
    std::vector<std::uint32_t> job_at;

    std::vector<Offset> link_ptr{0}, link_split;  // a PARENT line's words; where its children begin
    std::vector<Node> link_symbol;
    std::vector<std::uint32_t> link_at;

    std::vector<std::uint8_t> mark_kind;  // lines that say something of one job
    std::vector<Node> mark_symbol;
    std::vector<std::uint32_t> mark_at;

    std::vector<std::uint8_t> odd_kind;
    std::vector<Offset> odd_begin, odd_end, odd_jobs_before, odd_links_before, odd_marks_before;

    explicit Scan(Text text) {
        Lines lines(text, 0);
        while (lines.next()) {
            const Text line = lines.line();
            if (line.empty() || line[0] == '#' || line.substr(0, 2) == "//") continue;
            Words words(line);
            if (words.done()) continue;
            const std::size_t begin = lines.begin();
            const Keyword kind = keyword_of(words.next());
            if (take(kind, words, static_cast<std::uint32_t>(begin))) {
                if (waiting_.size() >= 4096 || lines.joined()) link_waiting();  // a joined line's words do not last
                continue;
            }
            odd_kind.push_back(kind);
            odd_begin.push_back(static_cast<Offset>(begin));
            odd_jobs_before.push_back(static_cast<Offset>(job_at.size()));
            odd_links_before.push_back(static_cast<Offset>(link_at.size()));
            odd_marks_before.push_back(static_cast<Offset>(mark_at.size()));
            if (kind == job || kind == final || kind == provisioner || kind == service || kind == submit_description)
                skip_block(words, lines);
            odd_end.push_back(static_cast<Offset>(lines.end()));
        }
        link_waiting();
    }

private:
    std::vector<Text> waiting_;
    std::string submit_key_;

    bool take(Keyword kind, Words words, std::uint32_t at) {
        switch (kind) {
            case job: return take_job(words, at);
            case parent: return take_links(words, at);
            case vars: case priority: case retry: case category: case script: case pre_skip: case abort_dag_on:
                return take_mark(kind, words, at);
            default: return false;
        }
    }

    static bool reserved(Text name) {
        return same_word(name, "PARENT") || same_word(name, "CHILD") || same_word(name, "ALL_NODES");
    }

    bool take_job(Words words, std::uint32_t at) {
        const Text name = words.next(), submit = words.next();
        Text directory;
        while (!words.done()) {
            const Text option = words.next();
            if (same_word(option, "DIR")) {
                directory = words.next();
                if (directory.empty() || directory[0] == '"') return false;
            } else if (!same_word(option, "NOOP") && !same_word(option, "DONE")) {
                return false;
            }
        }
        if (submit.empty() || submit[0] == '"' || submit[0] == '{' || submit.substr(0, 2) == "@=" ||
            submit.find(".condor.sub") != Text::npos || name.find('+') != Text::npos || reserved(name))
            return false;
        const Node symbol = symbols.intern(name);
        defined.resize(symbols.size(), 0);
        if (defined[symbol]) return false;
        defined[symbol] = 1;
        job_symbol.push_back(symbol);
        job_submit.push_back(intern_submit(submit, directory));
        job_at.push_back(at);
        return true;
    }

    Node intern_submit(Text submit, Text directory) {
        if (!directory.empty()) {
            submit_key_.assign(submit).append(1, '\0').append(directory);
            submit = submit_key_;
        }
        const Node number = submits.intern(submit);
        if (number == static_cast<Node>(submit_directory.size()))
            submit_directory.push_back(directory.empty() ? -1 : directories.intern(directory));
        return number;
    }

    bool take_links(Words words, std::uint32_t at) {
        const std::size_t first = waiting_.size();
        const auto base = static_cast<Offset>(link_symbol.size());
        Offset split = -1;
        while (!words.done()) {
            const Text word = words.next();
            if (split < 0 && same_word(word, "CHILD"))
                split = base + static_cast<Offset>(waiting_.size());
            else
                waiting_.push_back(word);
        }
        const auto end = base + static_cast<Offset>(waiting_.size());
        if (split <= base + static_cast<Offset>(first) || split == end) {
            waiting_.resize(first);
            return false;
        }
        link_split.push_back(split);
        link_ptr.push_back(end);
        link_at.push_back(at);
        return true;
    }

    // Gives the words of PARENT lines their numbers, many at a time.
    void link_waiting() {
        const std::size_t first = link_symbol.size();
        link_symbol.resize(first + waiting_.size());
        symbols.intern(waiting_, std::span(link_symbol).subspan(first));
        waiting_.clear();
    }

    bool take_mark(Keyword kind, Words words, std::uint32_t at) {
        if (kind == script) {
            const Text when = words.next();
            if (!same_word(when, "PRE") && !same_word(when, "POST") && !same_word(when, "HOLD")) return false;
        }
        const Text name = words.next();
        if (name.empty() || same_word(name, "ALL_NODES") || !plain_mark(kind, words)) return false;
        mark_kind.push_back(kind);
        mark_symbol.push_back(symbols.intern(name));
        mark_at.push_back(at);
        return true;
    }

    bool plain_mark(Keyword kind, Words words) {
        if (kind == script) return !words.done();
        if (kind == vars)
            return !words.rest().empty() &&
                   each_var(words.rest().substr(1), [&](Text name, Text) { var_names.intern(name); });
        const Text word = words.next();
        if (word.empty()) return false;
        if (kind == retry && plain_integer(word, 9, false) && !words.done())
            return same_word(words.next(), "UNLESS-EXIT") && plain_integer(words.next(), 9, true) && words.done();
        if (!words.done()) return false;
        if (kind == category) return true;
        if (kind == pre_skip) return plain_integer(word, 2, false);
        return plain_integer(word, 9, kind != retry);
    }

    // A submit description inside the file: its lines are not commands.
    static void skip_block(Words words, Lines& lines) {
        words.next();
        if (words.done()) return;
        Text rest = words.rest();
        Text mark;
        if (rest[0] == '"') {
            while (!rest.empty() && rest[0] == '"') rest.remove_prefix(1);
            mark = rest.substr(0, rest.find('"'));
        } else {
            mark = words.next();
        }
        if (mark.substr(0, 1) == "{") {
            while (lines.next())
                if (lines.line().substr(0, 1) == "}") return;
        } else if (mark.substr(0, 2) == "@=" && mark.size() > 2) {
            std::string close("@");
            close.append(mark.substr(2));
            while (lines.next_physical()) {
                const Text line = lines.line();
                if (line.substr(0, close.size()) == close &&
                    (line.size() == close.size() || line[close.size()] == ' ' || line[close.size()] == '\t'))
                    return;
            }
        }
    }
};

struct Edges {
    std::vector<Node> tails, heads;
    Offset bad_line = -1;  // the first line that names something without a node
    Node bad_symbol = -1;
};

// Groups stand for splices: as a parent a splice is its terminal nodes, as a child its initial ones.
struct Groups {
    CsrView terminal, initial;
};

// Turns the PARENT lines first..last-1 into edges. node_of[symbol] is a node, -1 for nothing, or -2-g for group g; any
// other value is something that takes no edges. Stops, with a bad line but no bad symbol, at more than `most` edges.
inline Edges expand_links(const Scan& scan, Offset first, Offset last, std::span<const Node> node_of, Groups groups,
                          Offset most) {
    Edges out;
    std::vector<Node> parents, children;
    auto collect = [&](Offset from, Offset to, const CsrView& group, std::vector<Node>& into, Offset line) {
        into.clear();
        for (Offset i = from; i < to; ++i) {
            const Node node = node_of[scan.link_symbol[i]];
            if (node >= 0) {
                into.push_back(node);
            } else if (node == -1 || -2 - node >= group.size()) {
                out.bad_line = line;
                out.bad_symbol = scan.link_symbol[i];
                return false;
            } else {
                const auto members = group.row(-2 - node);
                into.insert(into.end(), members.begin(), members.end());
            }
        }
        if (!into.empty()) return true;
        out.bad_line = line;  // a splice without jobs, and nothing beside it
        out.bad_symbol = scan.link_symbol[from];
        return false;
    };
    for (Offset line = first; line < last; ++line) {
        const Offset split = scan.link_split[line];
        if (!collect(scan.link_ptr[line], split, groups.terminal, parents, line) ||
            !collect(split, scan.link_ptr[line + 1], groups.initial, children, line))
            return out;
        const std::size_t grown = out.tails.size() + parents.size() * children.size();
        if (static_cast<Offset>(grown) > most) {
            out.bad_line = line;
            out.bad_symbol = -1;
            return out;
        }
        for (Node parent : parents)
            for (Node child : children) {
                out.tails.push_back(parent);
                out.heads.push_back(child);
            }
    }
    return out;
}

// The value of one variable in every plain VARS line that gives it, as visit(mark, raw text).
template <class Visit>
void each_value(const Scan& scan, Text text, Text name, Visit&& visit) {
    for (std::size_t i = 0; i < scan.mark_at.size(); ++i) {
        if (scan.mark_kind[i] != vars) continue;
        Lines lines(text, scan.mark_at[i]);
        lines.next();
        Words words(lines.line());
        words.next();
        words.next();
        each_var(words.rest().substr(1), [&](Text key, Text value) {
            if (key.size() == name.size() && same_word(key, name)) visit(i, value);
        });
    }
}

}  // namespace eligo::dagman
