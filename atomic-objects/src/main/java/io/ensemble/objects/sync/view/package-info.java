/** Views show shared maps and queues as the collections of {@code java.util.concurrent}. */
@NullMarked
package io.ensemble.objects.sync.view;

import org.jspecify.annotations.NullMarked;
