#!/bin/sh
# Says in one sentence what is missing to build eligo, and which package brings it. Argument: the Python to use.
python=$1

missing() {
    echo "eligo: $1" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    missing "there is no $python on this machine: install the package python3."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    missing "Python 3.11 or newer is needed, and $python is $("$python" -V 2>&1): install a newer one and run make PYTHON=python3.12."
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    missing "Python's venv module is missing: install the package python3-venv (Debian, Ubuntu)."
# Unquoted: CXX may hold a launcher too, such as "ccache g++". Without it CMake takes any of these.
${CXX:-c++} --version >/dev/null 2>&1 || { [ -z "$CXX" ] && { g++ --version || clang++ --version; } >/dev/null 2>&1; } ||
    missing "there is no C++ compiler: install the package g++ (Debian, Ubuntu) or gcc-c++ (Fedora)."
header=$("$python" -c 'import os, sysconfig; print(os.path.join(sysconfig.get_path("include"), "Python.h"))')
[ -f "$header" ] ||
    missing "Python's C header ($header) is missing: install the package python3-dev (Debian, Ubuntu) or python3-devel (Fedora)."
