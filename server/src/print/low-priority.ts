// Imported first in a thread of the print pool, because loading fonts takes processor time too.
import { constants, setPriority } from 'node:os'

// On Linux this sets the thread's own priority: payments get the processor before documents.
setPriority(constants.priority.PRIORITY_LOW)
