/**
 * Synchronizers between processes, and values that they share. They are ordinary atomic objects,
 * whose methods never wait; beside each is a handle that waits for them. A grant (lock, permit,
 * leadership) has a lease and a fencing token. No server keeps a clock or a timer for a lease. The
 * waiting processes judge, each by its own clock, whether a holder has stopped renewing its lease,
 * and only they end it. So a grant for which no process waits costs only the renewals of its
 * holder.
 */
@NullMarked
package io.ensemble.objects.sync;

import org.jspecify.annotations.NullMarked;
