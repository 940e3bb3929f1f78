/**
 * Views show shared maps and queues as the collections of {@code java.util.concurrent}, and locks
 * as its locks.
 */
@NullMarked
package io.ensemble.objects.sync.view;

import org.jspecify.annotations.NullMarked;
