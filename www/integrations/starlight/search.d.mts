/** The component in the place of Starlight's `Search`. */
declare const Search: (props: { class?: string }) => unknown;
export default Search;
