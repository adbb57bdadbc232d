// A real Ethereum node on this machine, from npm, for development, tests and drills.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export type LocalChain = { url: string; stop: () => Promise<void> }

/** The first of the accounts that anvil fills with 10,000 coins each. Known to everybody. */
export const anvilKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/** The third of them, which pays for sweeps. */
export const sweepKey = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

/** `signal` is how it is stopped: SIGTERM where it has a state to write. */
export async function startAnvil(args: string[] = [], signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<LocalChain> {
  // npm brings it for Linux on x64; elsewhere it has to be on the path.
  const anvil = spawn('anvil', ['--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const killOnExit = (): unknown => anvil.kill('SIGKILL')
  process.on('exit', killOnExit)
  const ended = once(anvil, 'exit')
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    anvil.once('error', reject)
    anvil.once('exit', () => reject(new Error(`anvil did not start:\n${said}`)))
    anvil.stdout.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString()).slice(-10_000)
      const [, address] = /Listening on (\S+)/.exec(said) ?? []
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
