/** An operation without the parts that all have, such as `vouchers/:id/block`. The sentences of the audit log have it as their key. */
export function shortenOperation(operation: string): string {
  const [method = '', path = ''] = operation.split(' ')
  const short = path.replace(/^\/(merchant-integrations-server|merchant-integrations|merchant)?\/?/, '')
  return method === 'POST' ? short : `${method} ${short}`
}
