/**
 * What a process does for all of a federation without being asked: it brings back what sites have
 * lost or missed, keeps their endpoints, and goes on with what others began. Several processes may:
 * each task has one owner at a time, who beats in the catalog and is followed when it falls silent.
 * Whatever an owner does late, or twice, does no harm.
 */
@NullMarked
package io.ensemble.maintenance;

import org.jspecify.annotations.NullMarked;
