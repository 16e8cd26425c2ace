"""Fields: the kinds of value that an author writes in several shapes.

A union of types would be refused once for each of its members, by the names that Python has for
them. Each of these looks at the whole value first and is refused in one sentence.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, StrictBool, StrictFloat, StrictInt, StrictStr

from creatura.errors import shown


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"should be a number, found {shown(value)}")
    return value


def _two(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"should be two numbers, such as [0, 1], found {shown(value)}")
    return value


def _dims(value: Any) -> Any:
    parts = value if isinstance(value, list | tuple) and len(value) == 2 else [value]
    if not all(isinstance(part, int) and not isinstance(part, bool) for part in parts):
        message = "should be a whole number, or rows and columns such as [2, 3]"
        raise ValueError(f"{message}, found {shown(value)}")
    return value


def _expression(value: Any) -> Any:
    if not isinstance(value, str | bool | int | float):
        raise ValueError(f"should be an expression, found {shown(value)}")
    return value


Number = Annotated[StrictInt | StrictFloat, BeforeValidator(_number)]
Ends = Annotated[tuple[Number, Number], BeforeValidator(_two)]  # the lowest and the highest
Dims = Annotated[StrictInt | tuple[StrictInt, StrictInt], BeforeValidator(_dims)]
# An expression that YAML reads as a number or a bool is one as well.
Source = Annotated[StrictStr | StrictBool | StrictInt | StrictFloat, BeforeValidator(_expression)]
