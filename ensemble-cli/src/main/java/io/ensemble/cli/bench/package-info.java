/** Commands that run YCSB in processes of its own. */
@NullMarked
package io.ensemble.cli.bench;

import org.jspecify.annotations.NullMarked;
