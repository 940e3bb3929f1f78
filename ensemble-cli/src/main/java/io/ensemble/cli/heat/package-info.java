/** The command {@code heat}: which keys of a cache are used most, and where. */
@NullMarked
package io.ensemble.cli.heat;

import org.jspecify.annotations.NullMarked;
