"""Views of one lane and small arrays on the stack, without reference counting.

Numba counts the references of an ordinary array or slice with atomic operations, which take longer
than a step of the cart pole. These have no count; they must not outlive the call in which they are
made, during which the caller of a view holds the array.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


@intrinsic
def column(typing_context, array, index):  # type: ignore[no-untyped-def]
    """`array[:, index]` of a two-dimensional array, without counting a reference."""
    layout = "C" if array.layout == "F" else "A"
    view_type = types.Array(array.dtype, 1, layout)
    return view_type(array, index), _borrow(view_type, across=1)


@intrinsic
def row(typing_context, array, index):  # type: ignore[no-untyped-def]
    """`array[index]` of a two-dimensional array, without counting a reference."""
    layout = "C" if array.layout == "C" else "A"
    view_type = types.Array(array.dtype, 1, layout)
    return view_type(array, index), _borrow(view_type, across=0)


def _borrow(view_type: types.Array, across: int) -> Any:
    """The code generator for a view at an index of axis `across`, along the other axis."""
    along = 1 - across

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        array = make_array(signature.args[0])(context, builder, args[0])
        shape = cgutils.unpack_tuple(builder, array.shape)
        strides = cgutils.unpack_tuple(builder, array.strides)
        offset = builder.mul(args[1], strides[across])
        view = make_array(view_type)(context, builder)
        populate_array(
            view,
            data=cgutils.pointer_add(builder, array.data, offset),
            shape=[shape[along]],
            strides=[strides[along]],
            itemsize=array.itemsize,
            meminfo=None,
        )
        return view._getvalue()

    return generate


@intrinsic(prefer_literal=True)
def stack_array(typing_context, dtype, count):  # type: ignore[no-untyped-def]
    """An array of a constant number of elements without initial values, on the stack.

    What is stored in it can stay in registers, and nothing else overlaps with it.
    """
    view_type = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        element = context.get_data_type(dtype.dtype)
        size = context.get_constant(types.intp, context.get_abi_sizeof(element))
        data = cgutils.alloca_once(builder, ir.ArrayType(element, count.literal_value))
        view = make_array(view_type)(context, builder)
        populate_array(
            view,
            data=builder.bitcast(data, element.as_pointer()),
            shape=[args[1]],
            strides=[size],
            itemsize=size,
            meminfo=None,
        )
        return view._getvalue()

    return view_type(dtype, count), generate
