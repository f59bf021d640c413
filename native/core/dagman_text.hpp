// The text layer of the DAGMan scanner: interned names, logical lines as HTCondor's line reader makes them, words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "csr.hpp"

namespace eligo::dagman {

using Text = std::string_view;

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

// Names to numbers in order of first sight. The bytes live in one arena. The table is larger than the caches for a
// million names, so for single names two guesses come first: the name after the one found last, since files go through
// their jobs in one order again and again, and a small table of names used of late.
class Names {
public:
    Names() : slots_(1 << 10), recent_(1 << 13) {}

    Node size() const { return static_cast<Node>(spans_.size()); }
    Text at(Node i) const { return {arena_.data() + spans_[i].begin, spans_[i].size}; }
    Node find(Text name) const { return slots_[slot(name, hash(name))].number; }
    Node intern(Text name) {
        if (guess_ < size() && at(guess_) == name) return guess_++;
        return intern(name, hash(name));
    }

    // Several names at once: each step of the search is asked of memory for all of them before it is needed.
    void intern(std::span<const Text> names, std::span<Node> out) {
        constexpr std::size_t most = 64;
        std::uint32_t hashes[most];
        Node near[most];
        for (std::size_t from = 0; from < names.size(); from += most) {
            const std::size_t n = std::min(most, names.size() - from);
            for (std::size_t i = 0; i < n; ++i) {
                hashes[i] = hash(names[from + i]);
                __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
            }
            for (std::size_t i = 0; i < n; ++i) {
                const Slot& slot = slots_[hashes[i] & (slots_.size() - 1)];
                near[i] = slot.hash == hashes[i] ? slot.number : -1;
                if (near[i] >= 0) __builtin_prefetch(&spans_[near[i]]);
            }
            for (std::size_t i = 0; i < n; ++i)
                if (near[i] >= 0) __builtin_prefetch(arena_.data() + spans_[near[i]].begin);
            for (std::size_t i = 0; i < n; ++i)
                out[from + i] = near[i] >= 0 && at(near[i]) == names[from + i] ? near[i] : intern(names[from + i], hashes[i]);
        }
    }

private:
    Node intern(Text name, std::uint32_t h) {
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
    bool joined() const { return !joined_.empty() && line_.data() == joined_.data(); }

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

}  // namespace eligo::dagman
