import { type RefObject, useEffect, useRef } from 'react'

/** A heading that takes the focus when its step appears, so that screen readers start there. */
export function useFocusedHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return heading
}
