/** How a bundle's address is read. */
/** Splits an address into the directory and, for a bundle in one file, the file's name. */
export declare function locate(url: URL): {
    base: URL;
    file: string | undefined;
};
