"""Numbers as tables and sentences of any magnitude want them."""


def digits(value: float) -> str:
    """Write a number with four digits, thousands grouped, without an exponent."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", "\N{MINUS SIGN}")


def error_text(value: float) -> str:
    """Write a relative error in percent; one above ten times what was measured is only bounded."""
    if abs(value) > 10:
        return "> +1000%"
    return f"{value:+.1%}".replace("-", "\N{MINUS SIGN}")
