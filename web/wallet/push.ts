import { act, type PushKey, read } from './request-wallet.ts'

const pushKey = 'scrip-push'

/** Whether this device has a push subscription. */
export function isPushOn(): boolean {
  return localStorage.getItem(pushKey) === 'on' && 'Notification' in globalThis && Notification.permission === 'granted'
}

/** Returns whether it worked: the user may decline when the browser asks for permission. */
export async function turnPushOn(): Promise<boolean> {
  try {
    if ((await Notification.requestPermission()) !== 'granted') return false
    const response = await read<PushKey>('/wallet/push-key')
    if ('refusal' in response) return false
    const worker = await navigator.serviceWorker.ready
    const subscription = await worker.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: response.data.key,
    })
    const { endpoint = '', keys = {} } = subscription.toJSON()
    const answer = await act('/wallet/push-subscriptions', { endpoint, keys })
    if ('refusal' in answer) return false
    localStorage.setItem(pushKey, 'on')
    return true
  } catch {
    return false
  }
}

export async function turnPushOff(): Promise<boolean> {
  localStorage.removeItem(pushKey)
  const worker = await navigator.serviceWorker.ready
  const subscription = await worker.pushManager.getSubscription()
  if (subscription === null) return true
  await act('/wallet/push-subscriptions/remove', { endpoint: subscription.endpoint })
  return subscription.unsubscribe()
}
