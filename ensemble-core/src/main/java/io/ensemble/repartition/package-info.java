/**
 * How the parts of a distributed cache change while it is used. At first, processes with a lease on
 * the former <em>generation</em> use the keys of the moving share at their former part. Once these
 * leases have expired, no part serves such a key until it is moved. Then its new part serves it.
 * All other keys are served throughout. A generation is fenced by a <em>mark</em> in each part,
 * read through the part's own reads. Pure: the caller passes in all times.
 */
@NullMarked
package io.ensemble.repartition;

import org.jspecify.annotations.NullMarked;
