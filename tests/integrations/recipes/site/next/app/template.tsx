export default function Template({ children }: { children: React.ReactNode }) {
  return (
    <>
      <nav>Zwischenraum</nav>
      <main>{children}</main>
    </>
  );
}
