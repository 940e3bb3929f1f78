/** Quorum arithmetic: how many answers suffice, as pure numbers. */
@NullMarked
package io.ensemble.quorum;

import org.jspecify.annotations.NullMarked;
