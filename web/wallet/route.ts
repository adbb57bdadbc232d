import { createRouter } from '../ui/router.tsx'

export const root = '/app'

export const { useRoute, go, Link } = createRouter(root)
