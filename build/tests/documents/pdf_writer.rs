//! Writes small PDFs: pages of text at given places in Helvetica, uncompressed.

/// A PDF under construction.
#[derive(Default)]
pub struct Pdf {
    pages: Vec<Page>,
    info: String,
}

/// A page of 600 by 800 points.
#[derive(Default)]
pub struct Page {
    content: Vec<u8>,
    entries: String,
}

impl Pdf {
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares the title.
    pub fn title(mut self, title: &str) -> Self {
        self.info = format!("/Title ({title})");
        self
    }

    pub fn page(mut self, page: Page) -> Self {
        self.pages.push(page);
        self
    }

    /// Writes the file. Objects 1 to 6 are the catalog, the pages, the information, two fonts and
    /// an image; two objects for each page follow.
    pub fn bytes(&self) -> Vec<u8> {
        let kids: Vec<String> =
            (0..self.pages.len()).map(|page| format!("{} 0 R", 7 + 2 * page)).collect();
        let mut objects: Vec<Vec<u8>> = vec![
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            format!("<< /Type /Pages /Count {} /Kids [{}] >>", kids.len(), kids.join(" "))
                .into_bytes(),
            format!("<< {} >>", self.info).into_bytes(),
            // Code 1 is the ligature of f and i.
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding \
              /BaseEncoding /WinAnsiEncoding /Differences [1 /fi] >> >>"
                .to_vec(),
            b"<< /Type /Font /Subtype /Type0 /BaseFont /Unknown /Encoding /Identity-H \
              /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Unknown \
              /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>"
                .to_vec(),
            stream(
                "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace \
                 /DeviceGray",
                b"\x80",
            ),
        ];
        for (at, page) in self.pages.iter().enumerate() {
            objects.push(
                format!(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R \
                     /Resources << /Font << /F 4 0 R /U 5 0 R >> /XObject << /I 6 0 R >> >> {} >>",
                    8 + 2 * at,
                    page.entries
                )
                .into_bytes(),
            );
            objects.push(stream("", &page.content));
        }
        file(&objects, "/Root 1 0 R /Info 3 0 R")
    }
}

impl Page {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry to the page's dictionary, such as `/Rotate 90`.
    pub fn with(mut self, entry: &str) -> Self {
        self.entries.push_str(entry);
        self
    }

    /// Adds a line of text at `x` from the left and `y` from the bottom.
    pub fn text(self, x: u32, y: u32, size: u32, text: &str) -> Self {
        let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        self.draw(&format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET"))
    }

    /// Adds lines from `y` downwards, 12 points apart, in 10 points.
    pub fn lines(mut self, x: u32, y: u32, lines: &[&str]) -> Self {
        for (n, line) in (0..).zip(lines) {
            self = self.text(x, y - 12 * n, 10, line);
        }
        self
    }

    /// Covers the page with an image.
    pub fn image(self) -> Self {
        self.draw("q 600 0 0 800 0 0 cm /I Do Q")
    }

    /// Adds operators.
    pub fn draw(mut self, operators: &str) -> Self {
        self.content.extend_from_slice(operators.as_bytes());
        self.content.push(b'\n');
        self
    }
}

/// Writes a stream object.
pub fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {entries} /Length {} >>\nstream\n", content.len()).into_bytes();
    object.extend_from_slice(content);
    object.extend_from_slice(b"\nendstream");
    object
}

/// Writes a file of the objects 1, 2, 3 and so on.
pub fn file(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let start = file.len();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
    for place in &places {
        table.push_str(&format!("{place:010} 00000 n \n"));
    }
    table.push_str(&format!(
        "trailer\n<< /Size {} {trailer} >>\nstartxref\n{start}\n%%EOF\n",
        places.len() + 1
    ));
    file.extend_from_slice(table.as_bytes());
    file
}
