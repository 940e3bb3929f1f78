/** The operations that the clients of a trial choose and execute. */
@NullMarked
package io.ensemble.check.workload;

import org.jspecify.annotations.NullMarked;
