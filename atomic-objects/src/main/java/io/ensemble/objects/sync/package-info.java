/**
 * Synchronizers between processes, and values that they share: ordinary atomic objects, whose
 * methods never wait, and beside each a handle that waits for them. What grants something (lock,
 * permit, leadership) grants it for a lease and with a fencing token. No server keeps a clock or a
 * timer for it: those who wait judge, each by its own clock, whether a holder has ceased to renew
 * its lease, and only they take it from it; so a grant that nobody wants costs nothing but its
 * holder's renewals.
 */
@NullMarked
package io.ensemble.objects.sync;

import org.jspecify.annotations.NullMarked;
