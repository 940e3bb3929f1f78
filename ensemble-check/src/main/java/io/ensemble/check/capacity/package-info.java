/**
 * How much memory, disk and network a cache takes, computed from measured figures. Pure. A test
 * compares the memory and the disk with those of a real server.
 */
@NullMarked
package io.ensemble.check.capacity;

import org.jspecify.annotations.NullMarked;
