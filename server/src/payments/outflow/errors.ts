import { conflict, defineErrors, forbidden, notFound, unacceptable } from '../../base/errors.ts'

export const outflowError = defineErrors({
  OUTFLOW_ABOVE_DAILY: unacceptable(
    'This exceeds what may leave your balance in 24 hours. An owner can raise the limit in the dashboard.',
  ),
  OUTFLOW_ABOVE_THRESHOLD: unacceptable(
    'This exceeds what may leave your balance in 24 hours without an approval. An owner can raise the threshold.',
  ),
  OUTFLOW_NOT_FOUND: notFound('No outflow is waiting under this reference.'),
  OUTFLOW_ENDED: conflict('This outflow is no longer waiting for approval.'),
  OUTFLOW_SAME_PERSON: forbidden('An outflow must be approved by someone other than the person who requested it.'),
  OUTFLOW_APPROVED_TWICE: conflict('You have already approved this outflow. Someone else must approve it too.'),
  OUTFLOW_STAFF_DECIDES: conflict('This shop has two or more approvers, so its own staff must approve this outflow.'),
  OUTFLOW_CURRENCY: unacceptable('Limits are set in the home currency of the shop.'),
})
