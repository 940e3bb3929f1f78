/**
 * For how long a process may rely on a cache's configuration, that is on the set of its sites and
 * on its mode. Every store of a configuration has room for one mark, its <em>end</em>. A process
 * that has read a store without the mark holds a lease on it. Once a process has written the marks
 * and waited longer than a lease, no other process holds one. Pure: the caller passes in all times.
 */
@NullMarked
package io.ensemble.lease;

import org.jspecify.annotations.NullMarked;
