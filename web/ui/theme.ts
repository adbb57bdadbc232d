export type Theme = 'device' | 'light' | 'dark'

const themeKey = 'scrip-theme'

export function readTheme(): Theme {
  const chosen = localStorage.getItem(themeKey)
  return chosen === 'light' || chosen === 'dark' ? chosen : 'device'
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(themeKey, theme)
  showTheme()
}

export function showTheme(): void {
  const theme = readTheme()
  if (theme === 'device') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** The theme on screen, whoever chose it. */
export function shownTheme(): 'light' | 'dark' {
  const theme = readTheme()
  if (theme !== 'device') return theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
