import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import { readLanguage } from '../ui/locale.ts'
import { fetchSite } from '../ui/site.ts'
import { HomePage } from './home-page.tsx'

document.documentElement.lang = readLanguage()

const place = document.getElementById('page')
const site = await fetchSite()
document.title = site.platformName
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <HomePage site={site} />
    </StrictMode>,
  )
