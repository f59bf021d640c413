from numpy import float64, int32, int64, uint8
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
) -> tuple[NDArray[int32], NDArray[int32]]: ...
