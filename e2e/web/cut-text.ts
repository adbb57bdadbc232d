import type { Page } from 'playwright-core'

/** The texts that a reader cannot see in full: cut by their box without a title that contains it, or beyond the edge of the page. */
export async function findCutText(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const cut = []
    const isHidden = (element) => {
      for (let box = element; box !== null && box !== document.body; box = box.parentElement)
        if (box.ariaHidden === 'true' || getComputedStyle(box).clipPath === 'inset(50%)') return true
      return false
    }
    const isTitled = (element, text) => element.closest('[title]')?.title.includes(text) ?? false
    const scrolls = (element) => {
      for (let box = element; box !== null && box !== document.body; box = box.parentElement)
        if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return true
      return false
    }
    for (const element of document.body.querySelectorAll('*')) {
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join('').trim()
      if (own === '' || isHidden(element)) continue
      const { width, height, right, left } = element.getBoundingClientRect()
      if (width <= 1 || height <= 1) continue
      const isClipped = getComputedStyle(element).overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1
      const isOutside = (right > innerWidth + 1 || left < -1) && !scrolls(element)
      if ((isClipped || isOutside) && !isTitled(element, own)) cut.push(own.slice(0, 80))
    }
    return cut
  })()`)
}
