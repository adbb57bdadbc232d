// The limits of an invoice, for the server and for the form.

export const taxesMax = 5
export const taxNameMax = 60
export const senderNumberMax = 40
export const addressMax = 300
export const addressLinesMax = 8
/** Files per invoice. */
export const attachmentsMax = 3
/** Per file. */
export const attachmentBytesMax = 2 * 1024 * 1024
export const fileNameMax = 120
