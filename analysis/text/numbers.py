"""Numbers as tables and sentences of any magnitude want them."""

from records.text.words import group_digits


def digits(value: float) -> str:
    """Write a number with four digits, thousands grouped, without an exponent."""
    return group_digits(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}")


def fixed(value: float, decimals: int) -> str:
    """Write a number with so many decimals, thousands grouped, with a true minus sign."""
    return _minus(f"{value:,.{decimals}f}".replace(",", "\N{NARROW NO-BREAK SPACE}"))


def signed(value: float, decimals: int) -> str:
    """Write a number as `fixed`, with its sign unless it is rounded to zero."""
    return _minus(f"{value:+.{decimals}f}")


def short(value: float) -> str:
    """Write a number with three digits but no more than two decimals, for columns side by side."""
    size = abs(float(f"{value:.3g}"))  # 9.997 is written as 10.0
    return fixed(value, 0 if size >= 100 else 1 if size >= 10 else 2)


def error_text(value: float) -> str:
    """Write a relative error in percent; one above ten times what was measured is only bounded."""
    if abs(value) > 10:
        return "> +1000%"
    return _minus(f"{value:+.1%}")


def percent(share: float, decimals: int = 0) -> str:
    """Write a share in percent as sentences have it, ``95 %``, with a true minus sign."""
    return _minus(f"{100 * share:.{decimals}f}\N{NO-BREAK SPACE}%")


def _minus(text: str) -> str:
    """Write a true minus sign, and no sign before what is zero as it is rounded."""
    if not any(digit in text for digit in "123456789"):
        text = text.lstrip("+-")
    return text.replace("-", "\N{MINUS SIGN}")
