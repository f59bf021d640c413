// The fast lane of the DAGMan reader: cuts a file into logical lines and takes the plain forms, interning names.
//
// A DAGMan file of a million jobs is some millions of lines of a handful of shapes. Those shapes are recognised here and
// end up in columns; every other line is handed on by its byte range, so that the complete parser, which is Python,
// sees only what is rare. A form is taken only where DAGMan would certainly accept its syntax; whether the names in it
// exist is settled later, since commands may stand before the jobs they name. One pass, O(bytes).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "csr.hpp"

namespace eligo::dagman {

using Text = std::string_view;

// The order is that of eligo.formats.dagman.keywords.Keyword.
inline constexpr Text keywords[] = {
    "JOB", "PARENT", "VARS", "PRIORITY", "RETRY", "CATEGORY", "SCRIPT", "PRE_SKIP", "ABORT_DAG_ON", "SUBDAG", "FINAL",
    "PROVISIONER", "SERVICE", "SPLICE", "INCLUDE", "SUBMIT_DESCRIPTION", "WEAK", "TOLERANCE", "DONE", "MAXJOBS",
    "CONFIG", "DOT", "NODE_STATUS_FILE", "JOBSTATE_LOG", "SAVE_POINT_FILE", "SET_JOB_ATTR", "ENV", "REJECT", "CONNECT",
    "PIN_IN", "PIN_OUT"};
enum Keyword : std::uint8_t {
    job, parent, vars, priority, retry, category, script, pre_skip, abort_dag_on, subdag, final, provisioner, service,
    splice, include, submit_description, unknown = 255
};

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

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

// Names to numbers in order of first sight. The bytes live in one arena. The table is larger than the caches for a
// million names, so two guesses come first: the name after the one found last, since files go through their jobs in one
// order again and again, and a small table of names used of late, since they mention a job's neighbours together.
class Names {
public:
    Names() : slots_(1 << 10), recent_(1 << 13) {}

    Node size() const { return static_cast<Node>(spans_.size()); }
    Text at(Node i) const { return {arena_.data() + spans_[i].begin, spans_[i].size}; }
    Node find(Text name) const { return slots_[slot(name, hash(name))].number; }
    Node intern(Text name) {
        if (guess_ < size() && at(guess_) == name) return guess_++;
        const std::uint32_t h = hash(name);
        Slot& recent = recent_[h & (recent_.size() - 1)];
        if (recent.number >= 0 && recent.hash == h && at(recent.number) == name) return recent.number;
        const std::size_t s = slot(name, h);
        Node number = slots_[s].number;
        if (number < 0) {
            number = size();
            spans_.push_back({arena_.size(), name.size()});
            arena_.append(name);
            slots_[s] = {h, number};
            if (spans_.size() * 2 > slots_.size()) grow();
        }
        recent = {h, number};
        guess_ = number + 1;
        return number;
    }

private:
    struct Slot {
        std::uint32_t hash = 0;
        Node number = -1;
    };
    struct Span {
        std::size_t begin, size;
    };

    static std::uint32_t hash(Text name) {
        std::uint64_t h = 0x9E3779B97F4A7C15ull ^ name.size();
        const char* p = name.data();
        std::size_t left = name.size();
        for (; left >= 8; left -= 8, p += 8) {
            std::uint64_t chunk;
            std::memcpy(&chunk, p, 8);
            h = mix(h ^ chunk);
        }
        std::uint64_t chunk = 0;
        for (std::size_t i = 0; i < left; ++i) chunk = chunk << 8 | static_cast<unsigned char>(p[i]);
        return static_cast<std::uint32_t>(mix(h ^ chunk));
    }
    static std::uint64_t mix(std::uint64_t x) {
        x *= 0xBF58476D1CE4E5B9ull;
        x ^= x >> 32;
        x *= 0x94D049BB133111EBull;
        return x ^ (x >> 29);
    }
    std::size_t slot(Text name, std::uint32_t h) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t s = h & mask;
        while (slots_[s].number >= 0 && !(slots_[s].hash == h && at(slots_[s].number) == name)) s = (s + 1) & mask;
        return s;
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        const std::size_t mask = slots_.size() - 1;
        for (const Slot& entry : old) {
            if (entry.number < 0) continue;
            std::size_t s = entry.hash & mask;
            while (slots_[s].number >= 0) s = (s + 1) & mask;
            slots_[s] = entry;
        }
    }

    std::string arena_;
    std::vector<Span> spans_;
    std::vector<Slot> slots_, recent_;
    Node guess_ = 0;
};

inline Text trim(Text text) {
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    return text;
}

// Logical lines as HTCondor's line reader makes them. A backslash at the end joins the next line, whose leading blanks
// go; comments do not continue; of a comment inside a continuation the last character stays; a last line without a
// newline is neither trimmed nor continued.
class Lines {
public:
    Lines(Text text, std::size_t at) : text_(text), end_(at) {}

    std::size_t begin() const { return begin_; }
    std::size_t end() const { return end_; }
    Text line() const { return line_; }

    bool next() {
        if (end_ >= text_.size()) return false;
        begin_ = end_;
        line_ = physical();
        if (!ended_ || line_.empty() || line_.back() != '\\' || comment(line_)) return true;
        joined_.assign(line_.substr(0, line_.size() - 1));
        while (end_ < text_.size() && join(physical())) {}
        line_ = joined_;
        return true;
    }

    // Like next(), but a backslash joins nothing.
    bool next_physical() {
        if (end_ >= text_.size()) return false;
        begin_ = end_;
        line_ = trim(physical());
        return true;
    }

private:
    static bool comment(Text line) { return line[0] == '#' || line.substr(0, 2) == "//"; }

    // The next physical line, trimmed where it ends in a newline.
    Text physical() {
        const char* from = text_.data() + end_;
        const auto* newline = static_cast<const char*>(std::memchr(from, '\n', text_.size() - end_));
        ended_ = newline != nullptr;
        const Text raw(from, ended_ ? newline - from : text_.size() - end_);
        end_ += raw.size() + ended_;
        return ended_ ? trim(raw) : raw;
    }

    bool join(Text piece) {
        const bool starts = joined_.empty();
        if (ended_ && starts && !piece.empty() && comment(piece)) {
            joined_.assign(piece);
            return false;
        }
        if (ended_ && !piece.empty() && piece[0] == '#') piece = piece.substr(piece.size() - 1);
        joined_.append(piece);
        if (!ended_ || joined_.empty() || joined_.back() != '\\') return false;
        joined_.pop_back();
        return true;
    }

    Text text_, line_;
    std::string joined_;
    std::size_t begin_ = 0, end_;
    bool ended_ = true;
};

// Words between blanks and tabs.
class Words {
public:
    explicit Words(Text text) : rest_(text) {}

    Text next() {
        skip();
        std::size_t i = 0;
        while (i < rest_.size() && rest_[i] != ' ' && rest_[i] != '\t') ++i;
        const Text word = rest_.substr(0, i);
        rest_.remove_prefix(i);
        return word;
    }
    bool done() {
        skip();
        return rest_.empty();
    }
    Text rest() const { return rest_; }

private:
    void skip() {
        while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
    }
    Text rest_;
};

// Whole word of 1 to `most` digits, after a sign where one is allowed.
inline bool plain_integer(Text word, std::size_t most, bool sign) {
    if (sign && !word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
    if (word.empty() || word.size() > most) return false;
    for (char c : word)
        if (!is_digit(c)) return false;
    return true;
}

// Calls visit(name, raw value) for each name="value" of a VARS line; false where the text is not a plain list of them.
template <class Visit>
bool each_var(Text rest, Visit&& visit) {
    std::size_t i = 0, pairs = 0;
    auto blanks = [&] { while (i < rest.size() && is_space(rest[i])) ++i; };
    if (rest.substr(0, 7) == "PREPEND" || rest.substr(0, 6) == "APPEND") return false;
    for (blanks(); i < rest.size(); blanks(), ++pairs) {
        const std::size_t name = i;
        if (rest[i] == '+') ++i;
        while (i < rest.size() && ((rest[i] | 32) >= 'a' && (rest[i] | 32) <= 'z' ? true : is_digit(rest[i]) || rest[i] == '_' || rest[i] == '.')) ++i;
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
    Names symbols, submits, var_names;
    std::vector<std::uint8_t> defined;  // by symbol: has a plain JOB line

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
            if (take(kind, words, static_cast<std::uint32_t>(begin))) continue;
            odd_kind.push_back(kind);
            odd_begin.push_back(static_cast<Offset>(begin));
            odd_jobs_before.push_back(static_cast<Offset>(job_at.size()));
            odd_links_before.push_back(static_cast<Offset>(link_at.size()));
            odd_marks_before.push_back(static_cast<Offset>(mark_at.size()));
            if (kind == job || kind == final || kind == provisioner || kind == service || kind == submit_description)
                skip_block(words, lines);
            odd_end.push_back(static_cast<Offset>(lines.end()));
        }
    }

private:
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
        if (submit.empty() || !words.done() || submit[0] == '"' || submit[0] == '{' || submit.substr(0, 2) == "@=" ||
            submit.find(".condor.sub") != Text::npos || name.find('+') != Text::npos || reserved(name))
            return false;
        const Node symbol = symbols.intern(name);
        defined.resize(symbols.size(), 0);
        if (defined[symbol]) return false;
        defined[symbol] = 1;
        job_symbol.push_back(symbol);
        job_submit.push_back(submits.intern(submit));
        job_at.push_back(at);
        return true;
    }

    bool take_links(Words words, std::uint32_t at) {
        const std::size_t first = link_symbol.size();
        Offset split = -1;
        while (!words.done()) {
            const Text word = words.next();
            if (split < 0 && same_word(word, "CHILD"))
                split = static_cast<Offset>(link_symbol.size());
            else
                link_symbol.push_back(symbols.intern(word));
        }
        if (split <= static_cast<Offset>(first) || split == static_cast<Offset>(link_symbol.size())) {
            link_symbol.resize(first);
            return false;
        }
        link_split.push_back(split);
        link_ptr.push_back(static_cast<Offset>(link_symbol.size()));
        link_at.push_back(at);
        return true;
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
            const std::string close = "@" + std::string(mark.substr(2));
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
