/* SPDX-License-Identifier: Apache-2.0 */
/* bare.h */
#pragma once
