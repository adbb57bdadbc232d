type Part<World> = readonly [name: string, work: (world: World) => Promise<void>]

/** Runs the parts of a drill one after the other, prints the time of each, and always stops what was started. */
export async function runParts<World>(
  faults: string[],
  stops: readonly (() => Promise<unknown>)[],
  createWorld: () => Promise<World>,
  parts: readonly Part<World>[],
): Promise<void> {
  try {
    const world = await createWorld()
    for (const [name, work] of parts) {
      const startMs = performance.now()
      console.log(name)
      await work(world)
      console.log(`  ${((performance.now() - startMs) / 1_000).toFixed(1)} s, ${faults.length} faults so far`)
    }
  } catch (error) {
    console.error(error)
    faults.push('the drill did not finish')
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
  for (const fault of faults) console.log(`FAULT ${fault}`)
}
