import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import { fetchSite } from '../ui/site.ts'
import { DocsPage } from './docs-page.tsx'
import { fetchDocument } from './openapi.ts'

const place = document.getElementById('page')
const [site, api] = await Promise.all([fetchSite(), fetchDocument()])
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <DocsPage site={site} api={api} />
    </StrictMode>,
  )
