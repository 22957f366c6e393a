/* SPDX-License-Identifier: Apache-2.0 */
int tight(int x)
{
    return x;
}

int loose( int x ) {
  return x ;
}
