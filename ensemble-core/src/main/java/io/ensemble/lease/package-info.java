/**
 * For how long a process may rely on a cache's configuration: on the set of its sites and on its
 * mode. Every store of a configuration has room for one mark, its <em>end</em>; who has found it
 * missing trusts for a lease that it is missing, and who has put it and waited longer than that is
 * alone. Pure: times are handed in.
 */
@NullMarked
package io.ensemble.lease;

import org.jspecify.annotations.NullMarked;
