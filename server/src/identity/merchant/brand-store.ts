import type { Db, Tx } from '../../base/db.ts'
import { execute, list, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto, type TableRow } from '../../base/table.ts'
import type { MailBrand } from '../../mail/brand.ts'
import { merchantEnvironments } from './store.ts'

const merchantLogos = defineTable('merchant_logos', {
  environmentId: sql.uuid,
  image: sql.bytea,
  smallImage: sql.bytea,
})

export type Brand = Pick<TableRow<typeof merchantEnvironments>, 'accent' | 'address' | 'taxNumber'>
export type Logo = Omit<TableRow<typeof merchantLogos>, 'environmentId'>

export async function saveBrand(db: Db, environmentId: string, brand: Brand): Promise<void> {
  const { accent, address, taxNumber } = brand
  await execute(db)`
    update merchant_environments set accent = ${accent}, address = ${address}, tax_number = ${taxNumber}
      where id = ${environmentId}`
}

/** Replaces the logo. The version is set first, because its lock orders concurrent uploads. */
export async function saveLogo(tx: Tx, environmentId: string, version: string, logo: Logo): Promise<void> {
  await setLogoVersion(tx, environmentId, version)
  await execute(tx)`
    ${insertInto(merchantLogos, { environmentId, ...logo })}
      on conflict (environment_id) do update set image = excluded.image, small_image = excluded.small_image`
}

export async function deleteLogo(tx: Tx, environmentId: string): Promise<void> {
  await setLogoVersion(tx, environmentId, '')
  await execute(tx)`delete from merchant_logos where environment_id = ${environmentId}`
}

async function setLogoVersion(tx: Tx, environmentId: string, version: string): Promise<void> {
  await execute(tx)`update merchant_environments set logo_version = ${version} where id = ${environmentId}`
}

/** The logo of a merchant by its version, of either mode. */
export async function findLogo(db: Db, code: string, version: string): Promise<Buffer | undefined> {
  return selectValue(db)`
    select ${sql.bytea`l.image`}
      from merchants m join merchant_environments e on e.merchant_id = m.id join merchant_logos l on l.environment_id = e.id
      where m.code = ${code} and e.logo_version = ${version} limit 1`
}

/** The same without the image. */
export async function isCurrentLogo(db: Db, code: string, version: string): Promise<boolean> {
  const found = await selectValue(db)`
    select ${sql.boolean`true`}
      from merchants m join merchant_environments e on e.merchant_id = m.id
      where m.code = ${code} and e.logo_version = ${version} limit 1`
  return found ?? false
}

/** The logo of an environment, for documents. */
export async function findLogoOf(db: Db, environmentId: string): Promise<Buffer | undefined> {
  return selectValue(db)`
    select ${sql.bytea`image`} from merchant_logos where environment_id = ${environmentId}`
}

/** The brand on emails to customers of an environment. */
export async function findMailBrand(db: Db, environmentId: string): Promise<MailBrand> {
  const columns = list({
    ...merchantEnvironments.columns('e', 'accent', 'address', 'taxNumber'),
    // Empty without a logo.
    logo: sql.bytea`coalesce(l.small_image, '')`,
  })
  const found = await selectOne(db)`
    select ${columns} from merchant_environments e left join merchant_logos l on l.environment_id = e.id
      where e.id = ${environmentId}`
  if (found === undefined) throw new Error('An email is from an environment that does not exist.')
  return { ...found, logo: found.logo.length === 0 ? undefined : found.logo }
}
