#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>

#include "arrays.hpp"
#include "core/dagman_scan.hpp"

namespace eligo {

namespace {

using dagman::Text;

// A scanned file together with the bytes it was made from, which its offsets refer to.
struct DagmanScan {
    nb::bytes data;
    dagman::Scan scan;

    explicit DagmanScan(nb::bytes bytes)
        : data(std::move(bytes)), scan(unlocked([&] { return dagman::Scan(text()); })) {}

    Text text() const { return {PyBytes_AS_STRING(data.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(data.ptr()))}; }
};

// A line for each name: `before`, the name, `between`, its number, `after`; nothing where a name is no UTF-8.
nb::object named_lines(const std::string& before, nb::tuple names, const std::string& between, In<Node> numbers,
                       const std::string& after) {
    std::string lines;
    lines.reserve(names.size() * (before.size() + between.size() + after.size() + 24));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        Py_ssize_t length = 0;
        const char* name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names.ptr(), static_cast<Py_ssize_t>(i)), &length);
        if (!name) {
            PyErr_Clear();
            return nb::none();
        }
        std::array<char, 12> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), numbers.data()[i]).ptr;
        lines.append(before).append(name, length).append(between).append(digits.data(), end).append(after);
    }
    return nb::bytes(lines.data(), lines.size());
}

Text text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// Names are mostly ASCII: those are copied, the others decoded as UTF-8, stray bytes kept as surrogates.
nb::object to_str(Text text) {
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; })) {
        PyObject* made = PyUnicode_New(static_cast<Py_ssize_t>(text.size()), 127);
        if (made && !text.empty()) std::memcpy(PyUnicode_1BYTE_DATA(made), text.data(), text.size());
        return nb::steal(made);
    }
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

// Up to a NUL byte, behind which submit files have their directory.
nb::list to_strs(const dagman::Names& names, const In<Node>& which) {
    nb::list out = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(which.size())));
    for (std::size_t i = 0; i < which.size(); ++i) {
        const Text name = names.at(which.data()[i]);
        nb::object made = to_str(name.substr(0, name.find('\0')));
        PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), made.release().ptr());
    }
    return out;
}

nb::list to_strs(const dagman::Names& names) {
    nb::list out;
    for (Node i = 0; i < names.size(); ++i) out.append(to_str(names.at(i)));
    return out;
}

// A column of the scan as an array that keeps the scan alive.
template <class T>
auto column(std::vector<T> dagman::Scan::* member) {
    return [member](nb::handle_t<DagmanScan> self) {
        const std::vector<T>& values = nb::cast<const DagmanScan&>(self).scan.*member;
        return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, self);
    };
}

constexpr double max_seconds = 0x1p62;  // MAX_SECONDS of data.py: larger ones are unknown

std::tuple<Out<Offset>, Out<double>> numbers(const DagmanScan& self, const std::string& name) {
    std::vector<Offset> marks;
    std::vector<double> values;
    unlocked([&] {
        dagman::each_value(self.scan, self.text(), name, [&](std::size_t mark, Text value) {
            double number = std::numeric_limits<double>::quiet_NaN();
            const auto end = value.data() + value.size();
            const auto read = std::from_chars(value.data(), end, number);
            const bool fine = read.ec == std::errc() && read.ptr == end && number >= 0 && number < max_seconds;
            marks.push_back(static_cast<Offset>(mark));
            values.push_back(fine ? number : std::numeric_limits<double>::quiet_NaN());
        });
        return 0;
    });
    return {give(std::move(marks)), give(std::move(values))};
}

// Every value a variable is given, its escapes undone.
std::tuple<Out<Offset>, nb::list> texts(const DagmanScan& self, const std::string& name) {
    std::vector<Offset> marks;
    nb::list values;
    dagman::each_value(self.scan, self.text(), name, [&](std::size_t mark, Text value) {
        marks.push_back(static_cast<Offset>(mark));
        if (value.find('\\') == Text::npos) return values.append(to_str(value));
        std::string plain;
        for (std::size_t i = 0; i < value.size(); ++i) plain.push_back(value[i] == '\\' ? value[++i] : value[i]);
        values.append(to_str(plain));
    });
    return {give(std::move(marks)), values};
}

}  // namespace

void bind_dagman(nb::module_& m) {
    using namespace nb::literals;
    using dagman::Scan;

    m.def("named_lines", &named_lines, "before"_a, "names"_a, "between"_a, "numbers"_a, "after"_a);
    m.def("dagman_keywords", [] {
        std::vector<std::string> names;
        for (Text name : dagman::keywords) names.emplace_back(name);
        return names;
    });

    nb::class_<DagmanScan>(m, "DagmanScan")
        .def(nb::init<nb::bytes>(), "data"_a)
        .def_prop_ro("symbols", [](const DagmanScan& s) { return s.scan.symbols.size(); })
        .def("find", [](const DagmanScan& s, const nb::bytes& name) { return s.scan.symbols.find(text_of(name)); }, "name"_a)
        .def("intern", [](DagmanScan& s, const nb::bytes& name) { return s.scan.symbols.intern(text_of(name)); }, "name"_a)
        .def("symbol_names", [](const DagmanScan& s, const In<Node>& which) { return to_strs(s.scan.symbols, which); },
             "which"_a)
        .def_prop_ro("submits", [](const DagmanScan& s) { return s.scan.submits.size(); })
        .def("submit_names", [](const DagmanScan& s, const In<Node>& which) { return to_strs(s.scan.submits, which); },
             "which"_a)
        .def_prop_ro("submit_directory", column(&Scan::submit_directory))
        .def_prop_ro("directories", [](const DagmanScan& s) { return to_strs(s.scan.directories); })
        .def_prop_ro("job_symbol", column(&Scan::job_symbol))
        .def_prop_ro("job_submit", column(&Scan::job_submit))
        .def_prop_ro("job_at", column(&Scan::job_at))
        .def_prop_ro("link_at", column(&Scan::link_at))
        .def_prop_ro("link_ptr", column(&Scan::link_ptr))
        .def_prop_ro("link_split", column(&Scan::link_split))
        .def_prop_ro("link_symbol", column(&Scan::link_symbol))
        .def_prop_ro("mark_kind", column(&Scan::mark_kind))
        .def_prop_ro("mark_symbol", column(&Scan::mark_symbol))
        .def_prop_ro("mark_at", column(&Scan::mark_at))
        .def_prop_ro("odd_kind", column(&Scan::odd_kind))
        .def_prop_ro("odd_begin", column(&Scan::odd_begin))
        .def_prop_ro("odd_end", column(&Scan::odd_end))
        .def_prop_ro("odd_jobs_before", column(&Scan::odd_jobs_before))
        .def_prop_ro("odd_links_before", column(&Scan::odd_links_before))
        .def_prop_ro("odd_marks_before", column(&Scan::odd_marks_before))
        .def_prop_ro("var_names", [](const DagmanScan& s) { return to_strs(s.scan.var_names); })
        .def("numbers", &numbers, "name"_a)
        .def("texts", &texts, "name"_a)
        .def("edges", [](const DagmanScan& s, Offset first, Offset last, In<Node> node_of, In<Offset> tp, In<Node> t,
                         In<Offset> ip, In<Node> i, Offset most) {
            dagman::Edges e = unlocked([&] {
                return dagman::expand_links(s.scan, first, last, view(node_of), {view(tp, t), view(ip, i)}, most);
            });
            return std::make_tuple(give(std::move(e.tails)), give(std::move(e.heads)), e.bad_line, e.bad_symbol);
        }, "first"_a, "last"_a, "node_of"_a, "terminal_ptr"_a, "terminal"_a, "initial_ptr"_a, "initial"_a, "most"_a);
}

}  // namespace eligo
