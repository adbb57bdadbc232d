/** For controls that are only looked at. */
export function ignore(): void {}
