/** The content of a file in base64. */
export function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(readContent(reader.result)))
    reader.addEventListener('error', () => reject(new Error('The file cannot be read.')))
    reader.readAsDataURL(file)
  })
}

/** The content of data:type;base64,content. */
function readContent(url: FileReader['result']): string {
  return typeof url === 'string' ? (url.split(',')[1] ?? '') : ''
}
