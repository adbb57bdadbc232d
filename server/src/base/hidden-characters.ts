/** Runs of control characters, and of those that turn the direction of the text around them. */
export const hiddenCharacters = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu
