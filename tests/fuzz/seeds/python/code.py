"""Kilns."""
import os
@deco
class K(Base):
    """Doc."""
    async def fire(self, *, heat=6) -> int:
        """Fires."""
        return f"{heat}"
X = lambda a: a
