// The alert rules as the test of the documents and the drill of alerts read them. Each key is on a line of its own.
import { read } from './repository.ts'

export const rulesFile = 'deploy/prometheus/scrip-rules.yml'

export type AlertRule = { readonly name: string; readonly expression: string; readonly runbook: string }

export function readAlertRules(text = read(rulesFile)): AlertRule[] {
  return text
    .split(/^ +- alert: /m)
    .slice(1)
    .map((part) => {
      const valueOf = (key: string): string => new RegExp(`^ +${key}: (.+)$`, 'm').exec(part)?.[1] ?? ''
      return { name: part.split('\n')[0] ?? '', expression: valueOf('expr'), runbook: valueOf('runbook') }
    })
}
