"""Which model is asked, and where, as the settings say."""

from dataclasses import dataclass, field

from runs.conf import conf
from runs.tools.errors import ToolError


@dataclass(frozen=True, slots=True)
class Server:
    """`url` is that of the chat completions; `key` is shown nowhere."""

    url: str
    model: str
    key: str = field(repr=False)
    timeout_seconds: float

    def without_key(self, text: str) -> str:
        """A text of the server or of the network, which may repeat what it was sent."""
        return text.replace(self.key, "[key]") if self.key else text


def configured() -> Server:
    """Raises `ToolError("llm-not-configured")` that says what to set."""
    settings = conf()
    base, model, key = settings.llm_base_url.rstrip("/"), settings.llm_model, settings.llm_api_key
    if not (base and model):
        raise ToolError(
            "llm-not-configured",
            "no language model is configured; set DAYBOOK_LLM_BASE_URL and DAYBOOK_LLM_MODEL, and DAYBOOK_LLM_API_KEY "
            "where the server wants a key",
        )
    if not base.startswith(("http://", "https://")):
        raise ToolError("llm-not-configured", "DAYBOOK_LLM_BASE_URL should begin with http:// or https://")
    if not (key.isascii() and (key.isprintable())) or key != key.strip():
        # A library's complaint about the header would show it.
        raise ToolError("llm-not-configured", "DAYBOOK_LLM_API_KEY should be printable ASCII on one line")
    return Server(f"{base}/chat/completions", model, key, settings.llm_timeout_seconds)
