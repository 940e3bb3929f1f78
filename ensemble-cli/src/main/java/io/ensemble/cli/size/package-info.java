/** The command {@code size}: how much memory, disk and network a cache takes. */
@NullMarked
package io.ensemble.cli.size;

import org.jspecify.annotations.NullMarked;
