// A real Ethereum node on this machine, from npm, for development, tests and drills.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export type LocalChain = { url: string; stop: () => Promise<void> }

/** The key of the first account that anvil funds with 10,000 ether. It is publicly known. */
export const anvilKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/** The key of the third account, which pays for sweeps. */
export const sweepKey = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

/** The keys of the fourth and the fifth account: one pays redemptions to addresses, one acts for onchain vouchers. */
export const payoutKey = '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'
export const voucherKey = '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a'

/** `signal` stops it: SIGTERM if it must save its state. */
export async function startAnvil(args: string[] = [], signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<LocalChain> {
  // npm installs it for Linux on x64. On other platforms it must be on the PATH.
  // A process group of its own: Ctrl-C in a terminal must not stop it before the programs that use it.
  const anvil = spawn('anvil', ['--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const killOnExit = (): unknown => anvil.kill('SIGKILL')
  process.on('exit', killOnExit)
  const ended = once(anvil, 'exit')
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    anvil.once('error', reject)
    anvil.once('exit', () => reject(new Error(`anvil did not start:\n${output}`)))
    anvil.stdout.on('data', (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-10_000)
      const [, address] = /Listening on (\S+)/.exec(output) ?? []
      if (address !== undefined) resolve(`http://${address}`)
    })
  })
  return {
    url,
    stop: async () => {
      process.off('exit', killOnExit)
      anvil.kill(signal)
      await ended
    },
  }
}
