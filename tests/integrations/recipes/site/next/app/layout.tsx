export const metadata = { icons: { icon: "data:," } };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <script type="module" src="/findling/findling-ui.js" async />
        <findling-search theme="page" suppressHydrationWarning></findling-search>
        <nav>Zwischenraum</nav>
        <main>{children}</main>
      </body>
    </html>
  );
}
