from numpy import float64, int32, int64, uint8, uint32, uint64
from numpy.typing import NDArray

def build_two_way(
    n: int, tails: NDArray[int32], heads: NDArray[int32]
) -> tuple[NDArray[int64], NDArray[int32], NDArray[int64], NDArray[int32]]: ...
def topological_order(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32]
) -> NDArray[int32]: ...
def short_cycle(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32], budget: int
) -> NDArray[int32]: ...
def latest(ptr: NDArray[int64], idx: NDArray[int32], place: NDArray[int64]) -> NDArray[int64]: ...
def levels(pred_ptr: NDArray[int64], pred: NDArray[int32], order: NDArray[int32]) -> NDArray[int32]: ...
def longest_paths(
    pred_ptr: NDArray[int64], pred: NDArray[int32], order: NDArray[int32], weight: NDArray[float64]
) -> NDArray[float64]: ...
def components(succ_ptr: NDArray[int64], succ: NDArray[int32]) -> NDArray[int32]: ...
def has_edge(
    succ_ptr: NDArray[int64], succ: NDArray[int32], tails: NDArray[int32], heads: NDArray[int32]
) -> NDArray[uint8]: ...
def reachable(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    from_nodes: NDArray[int32],
    to_nodes: NDArray[int32],
) -> NDArray[uint8]: ...
def shortcuts(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32], searches: int
) -> NDArray[uint8]: ...

class Ordered:
    def __init__(
        self,
        succ_ptr: NDArray[int64],
        succ: NDArray[int32],
        pred_ptr: NDArray[int64],
        pred: NDArray[int32],
        order: NDArray[int32],
    ) -> None: ...
    def charge(self, scale: int, sweeps: int) -> tuple[NDArray[int64], NDArray[int64]]: ...
    def greedy(self, depth: int, base: int, load: NDArray[int64], percent: int) -> NDArray[int32]: ...
    def cuts(self) -> NDArray[int64]: ...
    def relatives(self) -> tuple[NDArray[int32], NDArray[int32]]: ...

def series_bound(load: NDArray[int64], scale: int, source: NDArray[uint8], end: NDArray[int64]) -> NDArray[int64]: ...
def load_bound(
    load: NDArray[int64], scale: int, sources: int, before: NDArray[int32], behind: NDArray[int32]
) -> NDArray[int64]: ...
def named_lines(
    before: str, names: tuple[str, ...], between: str, numbers: NDArray[int32], after: str
) -> bytes | None: ...
def dagman_keywords() -> list[str]: ...

class DagmanScan:
    def __init__(self, data: bytes) -> None: ...
    symbols: int
    submits: int
    submit_directory: NDArray[int32]
    directories: list[str]
    var_names: list[str]
    job_symbol: NDArray[int32]
    job_submit: NDArray[int32]
    job_at: NDArray[uint32]
    link_at: NDArray[uint32]
    link_ptr: NDArray[int64]
    link_split: NDArray[int64]
    link_symbol: NDArray[int32]
    mark_kind: NDArray[uint8]
    mark_symbol: NDArray[int32]
    mark_at: NDArray[uint32]
    odd_kind: NDArray[uint8]
    odd_begin: NDArray[int64]
    odd_end: NDArray[int64]
    odd_jobs_before: NDArray[int64]
    odd_links_before: NDArray[int64]
    odd_marks_before: NDArray[int64]
    def find(self, name: bytes) -> int: ...
    def intern(self, name: bytes) -> int: ...
    def symbol_names(self, which: NDArray[int32]) -> list[str]: ...
    def submit_names(self, which: NDArray[int32]) -> list[str]: ...
    def numbers(self, name: str) -> tuple[NDArray[int64], NDArray[float64]]: ...
    def texts(self, name: str) -> tuple[NDArray[int64], list[str]]: ...
    def edges(
        self,
        first: int,
        last: int,
        node_of: NDArray[int32],
        terminal_ptr: NDArray[int64],
        terminal: NDArray[int32],
        initial_ptr: NDArray[int64],
        initial: NDArray[int32],
        most: int,
    ) -> tuple[NDArray[int32], NDArray[int32], int, int]: ...

# decomposition into blocks
def decompose(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32]
) -> NDArray[int32]: ...

# Priorities and sweeps
def max_convolution(a: NDArray[int64], b: NDArray[int64]) -> NDArray[int64]: ...
def max_convolution_concave(concave: NDArray[int64], b: NDArray[int64]) -> NDArray[int64]: ...
def starts_below(low: NDArray[int64], high: NDArray[int64]) -> bool: ...
def least_ratio(part: NDArray[int64], whole: NDArray[int64]) -> int: ...
def sweep_table(
    e1: NDArray[int64], e2: NDArray[int64], best: NDArray[int64], most_words: int
) -> tuple[NDArray[int64], NDArray[int64], NDArray[uint64], int] | None: ...
def sweep_path(
    first: NDArray[int64], ptr: NDArray[int64], words: NDArray[uint64], n1: int, n2: int
) -> NDArray[uint8]: ...

# Bipartite blocks and strands
def strand_rows(
    ptr: NDArray[int64], idx: NDArray[int32], sinks: int
) -> tuple[NDArray[int32], NDArray[int64], NDArray[int32], NDArray[int64]]: ...
def strand_order(
    ptr: NDArray[int64], idx: NDArray[int32], sinks: int, row: NDArray[int32], start: NDArray[int64]
) -> NDArray[int32]: ...
def cycle_row(ptr: NDArray[int64], idx: NDArray[int32], sinks: int) -> NDArray[int32]: ...
def block_rule(
    ptr: NDArray[int64], idx: NDArray[int32], sinks: int, rule: int, packet_budget: int
) -> NDArray[int32]: ...
def best_block_rule(
    ptr: NDArray[int64], idx: NDArray[int32], sinks: int, packet_budget: int, most_edges: int
) -> tuple[NDArray[int32], NDArray[int64], int]: ...
def forest_best(ptr: NDArray[int64], idx: NDArray[int32], sinks: int) -> NDArray[int64]: ...

# Exact search (bind_exact.cpp)
class OverBudgetError(Exception): ...

def exact_search(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    budget: int,
    look: bool,
    count: bool,
) -> tuple[NDArray[int64], bytes, NDArray[int32], int, bytes, NDArray[int64], int]: ...
def exact_sequence(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32], budget: int
) -> NDArray[int32]: ...
def exact_largest_area(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32], budget: int
) -> NDArray[int32]: ...
def exact_least_memory(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    budget: int,
    ic_optimal: bool,
) -> NDArray[int32]: ...
def exact_conflict(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    order: NDArray[int32],
    budget: int,
) -> tuple[int, int]: ...

# The heuristic of 2006 (bind_prio2006.cpp)
def parts2006(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32]
) -> tuple[NDArray[int32], NDArray[int32], int]: ...
def prio2006(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32], budget: int
) -> NDArray[int32] | None: ...
def r_priority(first: NDArray[int64], second: NDArray[int64], most: int) -> tuple[int, int]: ...

# Blocks of a dag by structure, and the order in which they are executed (bind_prio.cpp)
def block_structures(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    nonsink_ptr: NDArray[int64],
    nonsinks: NDArray[int32],
    head_ptr: NDArray[int64],
    heads: NDArray[int32],
    bipartite: NDArray[uint8],
) -> tuple[NDArray[int32], NDArray[int32]]: ...
def structure_orders(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    nonsink_ptr: NDArray[int64],
    nonsinks: NDArray[int32],
    head_ptr: NDArray[int64],
    heads: NDArray[int32],
    bipartite: NDArray[uint8],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    first: NDArray[int32],
    guide: NDArray[int32],
) -> tuple[NDArray[int64], NDArray[int32], NDArray[int64], NDArray[int32], NDArray[uint8]]: ...
def block_sequence(
    of: NDArray[int32],
    head_ptr: NDArray[int64],
    heads: NDArray[int32],
    structure: NDArray[int32],
    ptr: NDArray[int64],
    gain: NDArray[int64],
    sources: NDArray[int32],
    budget: int,
    most_for_pair: int,
) -> tuple[NDArray[int32], int, int, int, int, bool]: ...
def jobs_of_sequence(
    sequence: NDArray[int32],
    nonsink_ptr: NDArray[int64],
    nonsinks: NDArray[int32],
    structure: NDArray[int32],
    ptr: NDArray[int64],
    order: NDArray[int32],
) -> NDArray[int32]: ...

# Plain orders (bind_plain_orders.cpp)
def newest_first(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32]
) -> NDArray[int32]: ...
def lowest_rank_first(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    rank: NDArray[int32],
) -> NDArray[int32]: ...
def drawn(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    draws: NDArray[float64],
) -> NDArray[int32]: ...

# Sequential orders of small peak (bind_sequential.cpp)
def memory_along(
    running: NDArray[int64],
    size: NDArray[int64],
    producer: NDArray[int32],
    reader_ptr: NDArray[int64],
    readers: NDArray[int32],
    one_event: bool,
    order: NDArray[int32],
) -> NDArray[int64]: ...
def peak_along(
    running: NDArray[int64],
    size: NDArray[int64],
    producer: NDArray[int32],
    reader_ptr: NDArray[int64],
    readers: NDArray[int32],
    one_event: bool,
    order: NDArray[int32],
) -> int: ...
def depth_first(
    succ_ptr: NDArray[int64], succ: NDArray[int32], pred_ptr: NDArray[int64], pred: NDArray[int32]
) -> NDArray[int32]: ...

class Costs:
    def __init__(
        self,
        succ_ptr: NDArray[int64],
        succ: NDArray[int32],
        pred_ptr: NDArray[int64],
        pred: NDArray[int32],
        running: NDArray[int64],
        size: NDArray[int64],
        producer: NDArray[int32],
        reader_ptr: NDArray[int64],
        readers: NDArray[int32],
        one_event: bool,
        closer: NDArray[int32],
    ) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def fixed(self) -> bool: ...
    @property
    def chain(self) -> bool: ...
    def peak(self, order: NDArray[int32]) -> int: ...
    def folded(self) -> Costs: ...
    def settled(self, order: NDArray[int32]) -> Costs: ...
    def greedy(self, rule: int, from_behind: bool) -> NDArray[int32]: ...
    def by_forest(self, order: NDArray[int32], from_behind: bool) -> NDArray[int32]: ...
    def beam(self, floor: int, width: int, budget: int, from_behind: bool) -> NDArray[int32]: ...
    def least(self, floor: int, known: int, budget: int) -> tuple[NDArray[int32], bool, int]: ...

def data_ends(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    reader_ptr: NDArray[int64],
    readers: NDArray[int32],
) -> tuple[NDArray[int32], NDArray[int32], NDArray[int32], NDArray[int64], NDArray[int32]]: ...
def heaviest_closure(
    up_ptr: NDArray[int64], up: NDArray[int32], weight: NDArray[int64]
) -> tuple[int, NDArray[uint8]]: ...

class MemoryPrint:
    def __init__(
        self,
        succ_ptr: NDArray[int64],
        succ: NDArray[int32],
        pred_ptr: NDArray[int64],
        pred: NDArray[int32],
        order: NDArray[int32],
        running: NDArray[int64],
        size: NDArray[int64],
        producer: NDArray[int32],
        reader_ptr: NDArray[int64],
        readers: NDArray[int32],
        one_event: bool,
        last: NDArray[int32],
        followed: NDArray[int32],
        followers: NDArray[int32],
        latest_ptr: NDArray[int64],
        latest: NDArray[int32],
    ) -> None: ...
    def worst_state(
        self,
    ) -> tuple[int, NDArray[int32], NDArray[int32], NDArray[int64], NDArray[uint8], NDArray[uint8]]: ...
    def least_around(self, job: int) -> tuple[int, NDArray[int32], NDArray[int32], NDArray[int64]]: ...
    def serialize(
        self, work: NDArray[float64], limit: int, rule: int, place: NDArray[int32], batch: int, budget: int
    ) -> tuple[int, NDArray[int32], NDArray[int32], NDArray[int32], NDArray[int64], int, int]: ...
    def safe_schedule(
        self,
        order: NDArray[int32],
        work: NDArray[float64],
        urgency: NDArray[float64],
        release: NDArray[float64],
        limit: int,
    ) -> NDArray[int32]: ...
    def hand_on(
        self, events: NDArray[int32], limit: int
    ) -> tuple[bool, NDArray[int32], NDArray[int32], NDArray[int32]]: ...

# List scheduling (bind_list_schedule.cpp)
def list_schedule(
    succ_ptr: NDArray[int64],
    succ: NDArray[int32],
    pred_ptr: NDArray[int64],
    pred: NDArray[int32],
    rank: NDArray[int32],
    time: NDArray[float64],
    processors: int,
) -> tuple[NDArray[float64], NDArray[float64], NDArray[int32], NDArray[int32]]: ...

# The grid (bind_grid.cpp)
_GridGraph = tuple[NDArray[int64], NDArray[int32], NDArray[int32], NDArray[float64]]
_GridArrivals = tuple[float, float, float, NDArray[float64], NDArray[int64], float]
_GridWorkers = tuple[float, float, bool, int, float, float, float, int]
_GridThrottling = tuple[int, int, NDArray[int32], NDArray[int32]]
_GridOccupied = tuple[
    NDArray[int64], NDArray[int64], NDArray[int64], NDArray[int32], NDArray[int64], NDArray[int64], int, bool
]

def run_grid(
    graph: _GridGraph,
    kind: int,
    arrivals: _GridArrivals,
    workers: _GridWorkers,
    throttling: _GridThrottling,
    occupied: _GridOccupied,
    key: int,
    first: int,
    count: int,
    group: int,
) -> NDArray[float64]: ...
def record_grid(
    graph: _GridGraph,
    kind: int,
    arrivals: _GridArrivals,
    workers: _GridWorkers,
    throttling: _GridThrottling,
    occupied: _GridOccupied,
    key: int,
    run: int,
) -> tuple[NDArray[float64], NDArray[float64], NDArray[int64], NDArray[int32]]: ...
def normal_quantile(p: float) -> float: ...
