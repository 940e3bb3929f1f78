/** Commands that read and write entries. */
@NullMarked
package io.ensemble.cli.entries;

import org.jspecify.annotations.NullMarked;
