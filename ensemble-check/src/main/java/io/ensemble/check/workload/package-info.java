/** The operations that the clients of a trial choose and carry out. */
@NullMarked
package io.ensemble.check.workload;

import org.jspecify.annotations.NullMarked;
