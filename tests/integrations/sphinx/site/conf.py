import os

project = "Kilns"
language = "en"
html_theme = os.environ.get("FIXTURE_THEME", "furo")
extensions = ["findling.sphinx"]
html_copy_source = False
html_static_path = []
# A word of the frame around pages that is in no page.
copyright = "Zwischenraum"
